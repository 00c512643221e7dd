"""The page and its server: Kibitz in the browser.

`server` serves the page and the protocol over WebSocket; `serving` starts it; `static` is the page
itself, plain HTML, CSS and modules that ask no other host for anything. Imports the API and the
protocol alone.
"""
