import { render } from 'preact'

import { App } from './app.tsx'
import { followOtherTabs } from './session.ts'
import { followTheme } from './theme.ts'

followTheme()
followOtherTabs()
const root = document.getElementById('root')
// In a task of its own: together with reading the scripts it would block a phone for longer.
setTimeout(() => root && render(<App />, root))
