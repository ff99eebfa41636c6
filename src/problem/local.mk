# src/problem
