/** The title of a column; with a class, `[title, class]`. */
type Column = string | readonly [title: string, columnClass: string]

/** The column with the buttons of each row: its title is for screen readers. */
export const ACTIONS: Column = ['Actions', 'col-action']

/** The titles of the columns of a table. */
export const TableHead = ({ columns }: { columns: readonly Column[] }) => (
  <thead>
    <tr>
      {columns.map((column) => {
        const [title, columnClass] = typeof column === 'string' ? [column] : column
        return (
          <th key={title} scope="col" class={columnClass}>
            {column === ACTIONS ? <span class="visually-hidden">{title}</span> : title}
          </th>
        )
      })}
    </tr>
  </thead>
)
