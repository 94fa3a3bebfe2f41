import { isApple } from '../platform.ts'
import { InfoDialog } from '../ui/dialog.tsx'
import { PAGES } from './pages.ts'

const GENERAL: [keys: string[], does: string][] = [
  [[isApple ? '⌘' : 'Ctrl', 'K'], 'Search pages, projects and players'],
  [['/'], 'Search on this page'],
  [['j', 'k'], 'Next or previous list entry; arrow keys work in lists as well'],
  [['Enter'], 'Open entry'],
  [['Esc'], 'Close'],
  [['a'], 'Moderation: accept the appeal'],
  [['r'], 'Moderation: reject the appeal'],
  [['?'], 'Show these shortcuts'],
]

/** All keys; `?` opens it. */
export const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => (
  <InfoDialog title="Keyboard shortcuts" label="Keyboard shortcuts" close="Close" onClose={onClose}>
    <div class="shortcuts">
      <dl class="facts">
        {GENERAL.map(([keys, does]) => (
          <Row key={does} keys={keys} does={does} />
        ))}
      </dl>
      <dl class="facts">
        {PAGES.map(({ key, title }) => (
          <Row key={title} keys={['g', key]} does={title} />
        ))}
      </dl>
    </div>
  </InfoDialog>
)

const Row = ({ keys, does }: { keys: string[]; does: string }) => (
  <>
    <dt class="row">
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dt>
    <dd>{does}</dd>
  </>
)
