import { effect, signal } from '@preact/signals'

const NAME = 'svc.theme'

export type Theme = 'system' | 'light' | 'dark'

const stored = localStorage.getItem(NAME)
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

export const isDark = (): boolean =>
  theme.value === 'dark' || (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)

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
