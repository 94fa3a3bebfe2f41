import { type Change, type Path, pathKey } from '../../../json-patch.ts'
import { JsonTree } from '../../../ui/json-tree.tsx'
import { Card, Name } from '../../../ui/parts.tsx'
import type { changesIn, Moment } from './recording.ts'

type Props = {
  moment: Moment
  changes: ReturnType<typeof changesIn>
  names: ReadonlyMap<string, string>
}

/** The state after a turn; what the turn changed is highlighted, together with the objects around it. */
export const TurnState = ({ moment, changes, names }: Props) => (
  <Card title="State after this turn">
    <div class="turn-states">
      <JsonTree
        label="Shared state"
        value={moment.state}
        changed={highlighted(changes.state)}
        names={names}
      />
      {Object.entries(moment.own).map(([playerId, value]) => {
        const name = names.get(playerId) ?? playerId
        return (
          <div key={playerId} class="room-state">
            <h3 class="tiny">
              Only <Name>{name}</Name> sees
            </h3>
            <JsonTree
              label={`Own state of ${name}`}
              value={value}
              names={names}
              changed={highlighted(changes.own[playerId] ?? [])}
            />
          </div>
        )
      })}
    </div>
  </Card>
)

/** A removed key is not in the tree: its object is highlighted instead. */
const highlighted = (changes: readonly Change[]): ReadonlySet<string> =>
  new Set(changes.map(({ path, after }): string => pathKey(after === undefined ? parentOf(path) : path)))

const parentOf = (path: Path): Path => path.slice(0, -1)
