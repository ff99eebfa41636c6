# src/exchange
