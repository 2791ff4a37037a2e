"""The story of the demo: one agent plays the same turns over a lossy summary and over Cenotaph.

`transcript` holds the session up to its crossing, `agent` reads what it is given and acts on it,
`world` answers its calls, `rolling` is the summarizer to compare with, `play` runs both and reports.
"""
