import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { counted, number } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { submits, useAction } from '../../ui/action.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Card, Segments } from '../../ui/parts.tsx'
import { ErrorNotice } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'

type Result = ResponseOf<'queryFunctionDatabase'>

const ROWS_SHOWN_MAX = 200
const TABLES = `SELECT name, type FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name`

/** SQL in a database of the live version, and its rows. */
export function SqlGrid({ route }: { route: Route }) {
  const { data } = useCall('listFunctionDeployments', { params: route.params, query: { limit: 20 } })
  const live = data?.deployments.find((deployment) => deployment.live)
  const databases = live?.bindings.flatMap(({ type, name }) => (type === 'db' ? name : [])) ?? []
  const [chosen, setChosen] = useState('')
  const [sql, setSql] = useState(TABLES)
  const [result, setResult] = useState<Result>()
  const binding = databases.find((name) => name === chosen) ?? databases[0]
  const onError = (failure: unknown) => {
    setResult(undefined)
    throw failure
  }
  const { run, busy, error } = useAction(async () => {
    const params = { ...route.params, binding: binding ?? '' }
    const answer = await call('queryFunctionDatabase', { params, body: { sql } })
    setResult(answer)
    if (answer.meta.rowsWritten > 0) refresh('readFunctions', 'listAudit')
  }, onError)
  if (binding === undefined) return null
  if (!isAllowed('queryFunctionDatabase', route))
    return (
      <Card title="SQL">
        <Allowed route={route} call="queryFunctionDatabase" to="run SQL" />
      </Card>
    )

  return (
    <Card
      class="sql"
      title="SQL"
      side={
        databases.length > 1 && (
          <Segments
            label="Database"
            items={databases.map((name) => ({ id: name, title: name }))}
            chosen={binding}
            choose={setChosen}
          />
        )
      }
    >
      <form class="form" onSubmit={submits(run)}>
        <TextArea
          label={`SQL in ${binding}`}
          hint="Multiple statements run as one transaction. Ctrl-Enter runs them."
          class="input mono"
          rows={3}
          spellcheck={false}
          value={sql}
          change={setSql}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
          }}
        />
        <div class="row wrap">
          <Button kind="main" type="submit" busy={busy} disabled={sql.trim() === ''}>
            Run{inProduction(route)}
          </Button>
          <Button onClick={() => setSql(TABLES)}>Tables</Button>
        </div>
      </form>
      {error && <ErrorNotice error={error} />}
      {result && <Rows result={result} />}
    </Card>
  )
}

function Rows({ result: { results, meta } }: { result: Result }) {
  const columns = Object.keys(results[0] ?? {})
  const rows = results.slice(0, ROWS_SHOWN_MAX)
  return (
    <>
      <p class="small soft" role="status">
        {counted(results.length, 'row', 'rows')}
        {results.length > rows.length && `, first ${ROWS_SHOWN_MAX} shown`}
        {meta.rowsWritten > 0 && `, ${number(meta.rowsWritten)} written`},{' '}
        {number(Math.round(meta.durationMs))} ms
      </p>
      {rows.length > 0 && (
        <div class="sql-rows" tabIndex={0} role="region" aria-label="Rows">
          <table class="table mini">
            <TableHead columns={columns} />
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  {columns.map((name) => (
                    <td key={name}>
                      <Value of={row[name]} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

const Value = ({ of }: { of: unknown }) =>
  of === null ? (
    <span class="faint">null</span>
  ) : (
    <bdi>{typeof of === 'string' ? of : typeof of === 'number' ? String(of) : JSON.stringify(of)}</bdi>
  )
