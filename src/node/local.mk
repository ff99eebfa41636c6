# src/node
