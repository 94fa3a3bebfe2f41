import type { ComponentChild } from 'preact'

type Props<Row> = {
  title: string
  rows: readonly Row[]
  empty: string
  children: (row: Row) => ComponentChild
}

/** A table in the panel of a player. */
export function Section<Row>({ title, rows, empty, children }: Props<Row>) {
  return (
    <section class="panel-section">
      <h3>
        {title} {rows.length > 0 && <span class="faint tabular">{rows.length}</span>}
      </h3>
      {rows.length === 0 ? (
        <p class="small faint">{empty}</p>
      ) : (
        <table class="table mini">
          <tbody>{rows.map(children)}</tbody>
        </table>
      )}
    </section>
  )
}
