let styles: CSSStyleSheet | undefined

/** Adds the style sheet of the dialog, once per page. */
export function addStyles() {
  if (styles) return
  styles = new CSSStyleSheet()
  styles.replaceSync(CSS)
  document.adoptedStyleSheets.push(styles)
}

const CSS = `
.svc-dialog { width: min(23rem, calc(100vw - 2rem)); box-sizing: border-box; padding: 1.5rem; border: 0;
  border-radius: var(--svc-radius, .75rem); font: var(--svc-font, 1rem/1.5 system-ui, sans-serif);
  color: var(--svc-text, light-dark(#1b1f24, #e8eaed)); background: var(--svc-background, light-dark(#fff, #1a1f25));
  color-scheme: light dark; box-shadow: 0 1rem 3rem rgb(0 0 0 / .35);
  --edge: light-dark(#848d97, #6b7683); --quiet: light-dark(#57606a, #9aa4af) }
.svc-dialog[open] { display: flex; flex-direction: column; gap: .75rem }
.svc-dialog::backdrop { background: rgb(0 0 0 / .5) }
.svc-title { margin: 0; padding-inline-end: 6rem; font-size: 1.25rem; line-height: 1.4 }
.svc-form { display: flex; flex-direction: column; gap: .375rem }
.svc-provider + .svc-form { margin-top: .25rem; padding-top: .75rem; border-top: 1px solid color-mix(in srgb, var(--edge) 45%, transparent) }
.svc-label { font-size: .875rem }
.svc-input { box-sizing: border-box; width: 100%; margin-bottom: .375rem; font: inherit; padding: .5rem .75rem; color: inherit;
  background: transparent; border: 1px solid var(--edge); border-radius: var(--svc-radius, .5rem) }
.svc-dialog button { font: inherit; padding: .5rem 1rem; cursor: pointer; border-radius: var(--svc-radius, .5rem);
  border: 1px solid var(--edge); background: transparent; color: inherit }
.svc-dialog .svc-submit { margin-top: .375rem; border: 0; font-weight: 600;
  color: var(--svc-accent-text, #fff); background: var(--svc-accent, #2457d6) }
.svc-dialog button:disabled { opacity: .6; cursor: default }
.svc-dialog :focus-visible { outline: 3px solid var(--svc-accent, light-dark(#2457d6, #7aa7ff)); outline-offset: 2px }
.svc-dialog .svc-close { position: absolute; top: 1.375rem; inset-inline-end: 1rem; padding: .25rem .5rem; border: 0; color: var(--quiet) }
.svc-others { display: flex; flex-direction: column; align-items: start; font-size: .875rem }
.svc-dialog .svc-link { border: 0; padding: .25rem 0; text-align: start; text-decoration: underline; text-underline-offset: .2em }
.svc-news { display: flex; gap: .5rem; align-items: start; font-size: .875rem }
.svc-news input { flex: none; width: 1rem; height: 1rem; margin: .2rem 0 0 }
.svc-text { margin: 0; overflow-wrap: anywhere }
.svc-rule, .svc-said { margin: 0; font-size: .875rem }
.svc-rule { color: var(--quiet) }
.svc-error { color: var(--svc-error, light-dark(#b3261e, #ff8a80)) }
.svc-said:empty { display: none }
`
