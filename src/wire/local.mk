# src/wire
