type SortBy = { direction: 'ascending' | 'descending'; isSorted: boolean; sort: () => void }
/** The title of a column; with a class, `[title, class]`; with a third part its title is a button that sorts by it. */
type Column = string | readonly [title: string, columnClass: string, sortBy?: SortBy | false]

/** The column with the buttons of each row: its title is for screen readers. */
export const ACTIONS: Column = ['Actions', 'col-action']

/** The titles of the columns of a table. */
export const TableHead = ({ columns }: { columns: readonly Column[] }) => (
  <thead>
    <tr>
      {columns.map((column) => {
        const [title, columnClass, sortBy] = typeof column === 'string' ? [column] : column
        return (
          <th
            key={title}
            scope="col"
            class={columnClass}
            aria-sort={sortBy ? (sortBy.isSorted ? sortBy.direction : 'none') : undefined}
          >
            {column === ACTIONS ? (
              <span class="visually-hidden">{title}</span>
            ) : sortBy ? (
              <button type="button" class="sort-by" onClick={sortBy.sort}>
                {title}
              </button>
            ) : (
              title
            )}
          </th>
        )
      })}
    </tr>
  </thead>
)
