"""What a policy network sees and how it scores actions.

- `encoder`: an observation as the features worth having; every run has it.
- `lookup`, `agreement`, `residual`: components that settings switch on for games that gain by them.
- `actor`: a policy as a player.
"""
