import type { CompiledQuery, OperationNode } from 'kysely'

/** Of each table: the columns of each unique index. */
export type UniqueKeys = ReadonlyMap<string, readonly (readonly string[])[]>

/** A statement that deletes or updates rows. */
export type Written = {
  /** Such as `delete sessions by environmentId, playerId`: the columns that are compared with values. */
  name: string
  /** Its rows have a bound: it is one row by a unique key, those of one owner, or a step of a limited size. */
  isBounded: boolean
}

/** Nobody who has one of these has very many rows. */
const OWNERS = ['playerId', 'developerId', 'tokenId', 'roomId', 'addressHash']
/** The rows of `select … limit n`, as `removal.ts` and others write their steps. */
const STEP = /(?: in |= any\(array)\(select .* limit (?:\d+|\?)(?: for update skip locked)?\)/

/** What a statement that was built with Kysely deletes or updates; undefined if it does neither. */
export function writtenBy({ query, sql }: CompiledQuery, keys: UniqueKeys): Written | undefined {
  const { kind, from, table: changed, where } = query as unknown as Write
  if (kind !== 'DeleteQueryNode' && kind !== 'UpdateQueryNode') return undefined
  const table = nameIn(from?.froms[0] ?? changed)
  const fixed = where ? termsOf(where.where).flatMap(fixedColumn) : []
  const isOneRow = keys.get(table)?.some((key) => key.every((column) => fixed.includes(column)))
  const verb = kind === 'DeleteQueryNode' ? 'delete' : 'update'
  return {
    name: `${verb} ${table} by ${fixed.join(', ') || 'nothing'}`,
    isBounded: isOneRow || fixed.some((column) => OWNERS.includes(column)) || STEP.test(sql),
  }
}

type Named = { name?: string; column?: Named; identifier?: Named; table?: Named }
type Write = {
  kind: string
  from?: { froms: Named[] }
  table?: Named
  where?: { where: OperationNode }
}
type Binary = { leftOperand: Named; operator: { operator: string }; rightOperand: OperationNode }
type Pair = { left: OperationNode; right: OperationNode }

/** The conditions that must all be true. */
function termsOf(node: OperationNode): OperationNode[] {
  if (node.kind === 'ParensNode') return termsOf((node as unknown as { node: OperationNode }).node)
  if (node.kind !== 'AndNode') return [node]
  const { left, right } = node as unknown as Pair
  return [...termsOf(left), ...termsOf(right)]
}

/** The column that a condition compares with a value, or with a list of values. */
function fixedColumn(term: OperationNode): string[] {
  if (term.kind !== 'BinaryOperationNode') return []
  const { leftOperand, operator, rightOperand } = term as unknown as Binary
  const isValue = ['ValueNode', 'PrimitiveValueListNode', 'ValueListNode'].includes(rightOperand.kind)
  return isValue && ['=', 'in'].includes(operator.operator) ? [nameIn(leftOperand)] : []
}

/** Kysely wraps the names of tables and columns in several nodes. */
const nameIn = ({ name, column, identifier, table }: Named = {}): string =>
  name ?? nameIn(column ?? identifier ?? table)
