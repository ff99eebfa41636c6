# src/method
