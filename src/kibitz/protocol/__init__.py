"""The protocol: one JSON object a message, for engines on standard streams and for the web alike.

`messages` is the schema; `session` answers one client; `work` lets searches of many clients take
turns; `engine` speaks on standard streams. Imports the API alone.
"""
