import pg from 'pg'

const { INT8, NUMERIC } = pg.types.builtins

/** Parse bigint as number, as SQLite does; the numbers of this service are below 2^53. */
export const types = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
