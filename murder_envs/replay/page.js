"use strict";
(async () => {
  const $ = (id) => document.getElementById(id);

  // Python's base 85, with a comma in place of "<": five characters for four bytes.
  const ALPHABET =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
  const VALUES = Object.fromEntries([...ALPHABET].map((letter, value) => [letter, value]));
  function decoded(text) {
    const padding = (5 - (text.length % 5)) % 5, padded = text + "~".repeat(padding);
    const bytes = new DataView(new ArrayBuffer((padded.length / 5) * 4));
    for (let i = 0; i < padded.length; i += 5) {
      let word = 0;
      for (let k = 0; k < 5; k++) word = word * 85 + VALUES[padded[i + k]];
      bytes.setUint32((i / 5) * 4, word);
    }
    return new Uint8Array(bytes.buffer, 0, bytes.byteLength - padding);
  }

  const bytes = decoded($("data").textContent);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const game = JSON.parse(await new Response(unpacked).text());
  // frames[k][v]: what view v sees before decision k. Its shapes are changes to those before; -1 stands for the next
  // shape of the table.
  const views = game.views, frames = game.frames, last = frames.length - 1;
  const drawn = views.map(() => []);
  let known = 0;
  for (const row of frames)
    row.forEach((frame, v) => {
      const shapes = drawn[v].slice();
      for (const [place, gone, ...comes] of frame.shapes)
        shapes.splice(place, gone, ...comes.map((shape) => (shape < 0 ? known++ : shape)));
      frame.shapes = drawn[v] = shapes;
    });
  const PLAY = document.querySelector("[data-go=play] path");
  const state = { view: 0, at: 0, timer: 0 };

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  function draw(frame) {
    const size = `0 0 ${game.width} ${frame.height}`;
    const drawn = frame.shapes.map((place) => game.shapes[place]).join("");
    $("table").innerHTML =
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${size}" role="img" ` +
      `font-family="Helvetica, Arial, 'Liberation Sans', 'Noto Sans', 'DejaVu Sans', sans-serif">${drawn}</svg>`;
    $("table").firstChild.setAttribute("aria-label", [...frame.told, frame.asked].map((k) => game.words[k]).join(" "));
  }

  // The columns that a note has, and how its numbers are written.
  const COLUMNS = [
    ["policy", (x) => `${(100 * x).toFixed(0)} %`, (x) => x],
    ["visits", (x) => String(x), (x, all) => x / Math.max(1, ...all)],
    ["values", (x) => x.toFixed(2), null],
  ];

  function choices(frame) {
    const place = $("choice");
    place.replaceChildren();
    if (frame.says) place.append(element("blockquote", frame.says));
    if (!frame.legal) return;
    const columns = COLUMNS.filter(([name]) => frame[name]);
    const table = element("table");
    frame.legal.forEach((action, k) => {
      const row = table.insertRow(), isChosen = k === frame.chosen;
      if (isChosen) row.className = "chosen";
      const cell = row.insertCell();
      cell.textContent = (isChosen ? "\u2713 " : "") + game.words[frame.means[k]];
      cell.title = game.words[action];
      for (const [name, written, share] of columns) {
        const number = row.insertCell();
        number.className = "number";
        const value = frame[name][action];
        if (value === undefined) continue;
        number.append(written(value));
        if (share) {
          const bar = element("span", undefined, "bar");
          bar.style.width = `${Math.round(100 * share(value, Object.values(frame[name])))}%`;
          number.append(bar);
        }
      }
    });
    if (frame.value !== undefined) place.append(element("p", `estimated return ${frame.value.toFixed(2)}`));
    place.append(table);
  }

  function told() {
    const list = $("told");
    list.replaceChildren();
    for (let k = Math.max(0, state.at - 40); k <= state.at; k++)
      for (const sentence of frames[k][state.view].told)
        list.prepend(element("li", game.words[sentence], k === state.at ? "new" : "old"));
  }

  function show() {
    const frame = frames[state.at][state.view];
    draw(frame);
    $("asked").textContent = game.words[frame.asked];
    choices(frame);
    told();
    $("scrub").value = state.at;
    $("where").textContent = state.at === last ? `the end, after ${last} decisions` : `decision ${state.at + 1} of ${last}`;
  }

  function go(to) {
    state.at = Math.min(last, Math.max(0, to));
    show();
  }

  function pause() {
    clearInterval(state.timer);
    state.timer = 0;
    PLAY.setAttribute("d", "M4 3l9 5-9 5z");
  }

  function play() {
    if (state.timer) return pause();
    if (state.at === last) go(0);
    PLAY.setAttribute("d", "M4 3h3v10H4zM9 3h3v10H9z");
    state.timer = setInterval(() => (state.at < last ? go(state.at + 1) : pause()), Number($("speed").value));
  }

  const steps = {
    first: () => (pause(), go(0)),
    back: () => (pause(), go(state.at - 1)),
    play,
    on: () => (pause(), go(state.at + 1)),
    last: () => (pause(), go(last)),
  };
  const keys = { Home: "first", ArrowLeft: "back", " ": "play", ArrowRight: "on", End: "last" };

  function seeAs(view) {
    if (view < 0 || view >= views.length) return;
    state.view = view;
    $("view").value = view;
    show();
  }

  function changeTheme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  }

  views.forEach((view, k) => {
    const player = view.seat !== null && game.players[view.seat];
    const option = element("option", (view.seat === null ? "" : "by ") + view.name + (player ? ` (${player})` : ""));
    option.value = k;
    $("view").append(option);
  });
  $("view").disabled = views.length === 1;
  $("scrub").max = last;
  for (const at of game.chapters || []) {
    const mark = element("i");
    mark.style.left = `${(100 * at) / Math.max(1, last)}%`;
    $("marks").append(mark);
    const button = element("button", String(at + 1));
    button.title = `decision ${at + 1}: another action seemed better`;
    button.addEventListener("click", () => (pause(), go(at)));
    $("chapters").append(button);
  }
  if ($("chapters").firstChild) $("chapters").prepend("look at ");
  $("view").addEventListener("change", () => seeAs(Number($("view").value)));
  $("scrub").addEventListener("input", () => (pause(), go(Number($("scrub").value))));
  $("speed").addEventListener("change", () => state.timer && (pause(), play()));
  $("theme").addEventListener("click", changeTheme);
  for (const button of document.querySelectorAll("[data-go]"))
    button.addEventListener("click", () => steps[button.dataset.go]());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT)$/.test(event.target.tagName)) return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    if (keys[event.key]) steps[keys[event.key]]();
    else if (/^[0-9]$/.test(event.key) && views.length > 1) seeAs(Number(event.key));
    else if (event.key === "t") changeTheme();
    else return;
    event.preventDefault();
  });
  const asked = /^#(\d+)(?:\.(\d+))?$/.exec(location.hash);
  if (asked) {
    state.at = Math.min(last, Number(asked[1]));
    if (asked[2] !== undefined) state.view = Math.min(views.length - 1, Number(asked[2]));
  }
  $("view").value = state.view;
  show();
})();
