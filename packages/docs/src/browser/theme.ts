/**
 * Runs before the first paint, so that a page does not flash in the wrong colours, and nothing moves when its script has loaded.
 * The dashboard stores the choice under the same name.
 */
{
  // The style then shows what only a script can do (`.for-script`), and folds the contents on a narrow screen.
  document.documentElement.classList.add('scripted')
  const theme = localStorage.getItem('svc.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
}
