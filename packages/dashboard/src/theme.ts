import { effect, signal } from '@preact/signals'

const NAME = 'svc.theme'

export type Theme = 'system' | 'light' | 'dark'

const stored = localStorage.getItem(NAME)
/** What the person has chosen. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

/** Whether dark colors are shown now. */
export const isDark = (): boolean =>
  theme.value === 'dark' || (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)

/** Applies the choice to the page and stores it. */
export const followTheme = () =>
  effect(() => {
    if (theme.value === 'system') {
      delete document.documentElement.dataset['theme']
      localStorage.removeItem(NAME)
    } else {
      document.documentElement.dataset['theme'] = theme.value
      localStorage.setItem(NAME, theme.value)
    }
  })
