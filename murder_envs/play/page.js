"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const here = location.pathname;
  let seen = -1, view = null, busy = false, until = 0;

  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  function problem(text) {
    $("problem").textContent = text;
    $("problem").hidden = !text;
  }

  function buttons() {
    const wanted = $("filter").value.trim().toLowerCase();
    const found = view.legal.filter(([name, sentence]) => (name + " " + sentence).toLowerCase().includes(wanted));
    $("choice").replaceChildren(
      ...found.map(([name, sentence]) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = sentence;
        button.title = name;
        button.disabled = busy;
        button.addEventListener("click", () => decide(name));
        return button;
      }),
    );
    return found;
  }

  async function decide(action) {
    if (busy) return;
    busy = true;
    buttons();
    try {
      const answer = await fetch(here + "/act", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ decision: view.decision, action }),
      });
      problem(answer.ok ? "" : (await answer.json()).error);
      if (answer.ok) $("filter").value = "";
    } catch {
      problem("The server does not answer. Your decision may not have been taken; it is tried to reach it.");
    }
    busy = false;
    buttons();
  }

  function show() {
    document.title = (view.legal.length ? "\u25CF " : "") + view.game;
    $("game").textContent = view.game;
    $("you").textContent = "you are " + view.you.replace(/_/g, " ");
    $("table").innerHTML = view.picture;
    $("asked").textContent = view.asked + (view.over ? ` Your return is ${view.return}.` : "");
    $("typed").hidden = view.legal.length < 8;
    $("after").hidden = !view.over;
    $("replay").href = here + "/replay";
    until = view.seconds === undefined ? 0 : Date.now() + 1000 * view.seconds;
    for (const item of $("told").children) item.className = "";
    for (const sentence of view.told) {
      const item = document.createElement("li");
      item.textContent = sentence;
      item.className = "new";
      $("told").prepend(item);
    }
    buttons();
  }

  async function follow() {
    for (;;) {
      try {
        const answer = await fetch(`${here}/view?since=${seen}`);
        if (!answer.ok) {
          problem((await answer.json()).error);
          if (answer.status === 404) return;
          await wait(2000);
          continue;
        }
        const told = await answer.json();
        if (told.decision < seen) $("told").replaceChildren();
        if (told.decision !== seen) {
          view = told;
          seen = told.decision;
          problem("");
          show();
        }
        if (told.over) return;
      } catch {
        problem("The server does not answer; it is tried again.");
        await wait(1500);
      }
    }
  }

  $("filter").addEventListener("input", buttons);
  $("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    const found = buttons();
    const typed = $("filter").value.trim();
    const exact = view.legal.find(([name]) => name === typed);
    if (exact || found.length === 1) decide((exact || found[0])[0]);
  });
  setInterval(() => {
    const left = Math.ceil((until - Date.now()) / 1000);
    $("clock").textContent = until && left >= 0 ? `${left} s` : "";
  }, 250);
  follow();
})();
