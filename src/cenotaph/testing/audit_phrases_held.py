from cenotaph.testing.audit_phrases_open import OPEN as HELD
