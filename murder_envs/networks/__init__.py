"""Trained policies: what their networks see, how they score actions, the files that they are kept in.

- `encoder`: an observation as the features worth having; every policy has it.
- `lookup`, `agreement`, `residual`: components that settings switch on for games that gain by them.
- `policy`: a policy from its parts.
- `files`: policies as files of plain data.
- `actor`: a policy as a player of many games. `agent`: a file as a player of one environment.
"""
