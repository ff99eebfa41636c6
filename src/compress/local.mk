# src/compress
