"""The audit: what somebody else's compaction lost, softened, changed or invented.

Pure like the rest of the core. Dialects say where a session was compacted (`Chronicle`); here each
compaction is judged, and nothing is judged that structure cannot show.
"""
