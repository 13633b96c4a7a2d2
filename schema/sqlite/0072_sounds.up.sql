-- What is shown of a recording before it is loaded: its milliseconds, and how loud it is where (base64).
ALTER TABLE attachments ADD COLUMN duration_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attachments ADD COLUMN waveform TEXT NOT NULL DEFAULT '';
