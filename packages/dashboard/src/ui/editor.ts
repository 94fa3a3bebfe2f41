import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'

import type { LineProblem } from '../json-text.ts'

export type Editor = {
  text(): string
  replace(text: string): void
  show(problems: readonly LineProblem[]): void
  goTo(line: number): void
  focus(): void
  destroy(): void
}

/** The tokens of the page: custom properties reach into the shadow root. */
const colors = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '21px' },
  '.cm-content': { padding: '14px 0', caretColor: 'var(--accent)' },
  '.cm-gutters': {
    backgroundColor: 'var(--card)',
    color: 'var(--faint)',
    border: 'none',
    paddingInlineStart: '8px',
  },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in oklab, var(--hover) 70%, transparent)',
  },
  '.cm-selectionMatch, .cm-matchingBracket': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-foldPlaceholder': {
    background: 'var(--press)',
    border: 'none',
    color: 'var(--soft)',
    padding: '0 6px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--over)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow-2)',
    fontFamily: 'var(--sans)',
    fontSize: '13px',
  },
  '.cm-diagnostic-error': { borderInlineStart: '3px solid var(--bad)' },
  '.cm-lint-marker-error': { content: 'none' },
  '.cm-lint-marker': {
    width: '8px',
    height: '8px',
    marginTop: '6px',
    borderRadius: '50%',
    backgroundColor: 'var(--bad)',
  },
})
const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--ink)', fontWeight: '500' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--accent)' },
  { tag: tags.invalid, color: 'var(--bad)' },
])

/**
 * CodeMirror in a shadow root: there it adopts style sheets, which the policy of the page allows; in the document it would write
 * style elements, which the policy refuses.
 */
export function openEditor(
  host: HTMLElement,
  { text, label, onChange }: { text: string; label: string; onChange: (text: string) => void },
): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const parent = document.createElement('div')
  parent.style.height = '100%'
  root.replaceChildren(parent)
  const view = new EditorView({
    root,
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        history(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        lintGutter(),
        json(),
        syntaxHighlighting(highlight),
        colors,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        // The text can be scrolled with the keyboard.
        EditorView.contentAttributes.of({
          'aria-label': label,
          spellcheck: 'false',
          tabindex: '0',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  const lineAt = (line: number) => view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))

  return {
    text: () => view.state.doc.toString(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    show(problems) {
      const diagnostics = problems.map(({ line, message }): Diagnostic => {
        const { from, to } = lineAt(line)
        return { from, to, severity: 'error', message }
      })
      view.dispatch(setDiagnostics(view.state, diagnostics))
    },
    goTo(line) {
      const { from } = lineAt(line)
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      })
      view.focus()
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}
