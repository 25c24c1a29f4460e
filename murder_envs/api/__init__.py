"""The same ruleset as other libraries know it; each file imports its library itself."""
