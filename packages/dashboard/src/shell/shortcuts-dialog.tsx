import { isApple } from '../platform.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { PAGES } from './pages.ts'

const GENERAL: [keys: string[], does: string][] = [
  [[isApple ? '⌘' : 'Ctrl', 'K'], 'Search pages, projects and players'],
  [['/'], 'Search on this page'],
  [['j', 'k'], 'Next, previous entry of a list; in a list also the arrow keys'],
  [['Enter'], 'Open the entry'],
  [['Esc'], 'Close'],
  [['a'], 'Moderation: accept the appeal'],
  [['r'], 'Moderation: reject the appeal'],
  [['?'], 'Show these keys'],
]

/** All keys; `?` opens it. */
export const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog onClose={onClose} label="Keys">
    <header class="dialog-head">
      <h2>Keys</h2>
    </header>
    <div class="dialog-main shortcuts">
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
    <footer class="dialog-foot">
      <Button kind="main" onClick={onClose}>
        Close
      </Button>
    </footer>
  </Dialog>
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
