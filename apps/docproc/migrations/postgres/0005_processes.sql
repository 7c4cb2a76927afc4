-- Processes say that they live in one place for all applications.
DROP TABLE workers;
