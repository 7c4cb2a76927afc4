-- One row per process of the house says that it lives.
DROP TABLE pollers;
