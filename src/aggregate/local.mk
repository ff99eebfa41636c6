# src/aggregate
