import type { Change, Path } from '../../../json-patch.ts'
import { JsonTree } from '../../../ui/json-tree.tsx'
import { Card, Name } from '../../../ui/parts.tsx'
import type { Changes, Moment } from './recording.ts'
import type { Names } from './turn-words.ts'

type Props = {
  moment: Moment
  changes: Changes
  names: Names
}

/** The state after a turn; what the turn changed is highlighted, together with the objects around it. */
export const TurnState = ({ moment, changes, names }: Props) => (
  <Card title="State after this turn">
    <div class="turn-states">
      <JsonTree label="Shared state" value={moment.state} changed={pathsOf(changes.state)} names={names} />
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
              changed={pathsOf(changes.own[playerId] ?? [])}
            />
          </div>
        )
      })}
    </div>
  </Card>
)

/** A removed key is not in the tree: its object is highlighted instead. */
const pathsOf = (changes: readonly Change[]): Path[] =>
  changes.map(({ path, after }) => (after === undefined ? path.slice(0, -1) : path))
