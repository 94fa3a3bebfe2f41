import { render } from 'preact'

import { App } from './app.tsx'
import { followOtherTabs } from './session.ts'
import { followTheme } from './theme.ts'

followTheme()
followOtherTabs()
const root = document.getElementById('root')
if (root) render(<App />, root)
