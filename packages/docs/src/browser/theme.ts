/** Runs before the first paint, so that a page does not flash in the wrong colours. The dashboard stores the choice under the same name. */
{
  const theme = localStorage.getItem('svc.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
}
