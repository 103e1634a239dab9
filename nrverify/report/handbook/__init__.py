"""Pages of the handbook that are made from the code: checks, triage, the reference of the API, the notebook."""
