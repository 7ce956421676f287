import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeCompletion,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension, Transaction } from '@codemirror/state'
import { type Command, EditorView, keymap, placeholder as placeholderOf } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useId, useRef } from 'react'
import classes from './CodeEditor.module.css'
import { completeVariables } from '../lib/complete-variables.ts'

export interface CodeEditorProps {
  label: string
  description?: string
  value: string
  onChange: (value: string) => void
  /** Metadata keys of contacts, for completion. */
  keys: readonly string[]
  as?: 'line' | 'text' | 'html'
  placeholder?: string
  readOnly?: boolean
  autoFocus?: boolean
}

/** The theme's colors, which are also readable in dark mode. */
const SYNTAX_COLORS = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket, tags.keyword], color: 'var(--accent)' },
  { tag: tags.attributeName, color: 'var(--logic)' },
  { tag: [tags.attributeValue, tags.string, tags.character], color: 'var(--ok)' },
  { tag: [tags.propertyName, tags.number, tags.atom], color: 'var(--data)' },
  { tag: [tags.comment, tags.documentMeta], color: 'var(--text-3)' },
])

/** Replaces line breaks in pasted text with spaces. */
const SINGLE_LINE: Extension = EditorState.transactionFilter.of((transaction) =>
  transaction.newDoc.lines > 1
    ? [
        transaction,
        {
          changes: {
            from: 0,
            to: transaction.newDoc.length,
            insert: transaction.newDoc.toString().replaceAll('\n', ' '),
          },
          sequential: true,
        },
      ]
    : transaction,
)

/** Closes the completion if it is open; otherwise leaves the field. */
const leave: Command = (view) => {
  if (completionStatus(view.state) === 'active') return closeCompletion(view)
  view.contentDOM.blur()
  return true
}

/** A template editor that completes variables. Tab moves to the next field, as in every other field. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, description, value, as = 'text', placeholder, readOnly = false, autoFocus = false } = props
  const id = useId()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  /** Values passed to `onChange` that have not come back as `value` yet. */
  const emitted = useRef(new Set<string>())
  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    const created = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          history(),
          closeBrackets(),
          autocompletion({
            override: [completeVariables(() => latest.current.keys)],
            icons: false,
            defaultKeymap: false,
          }),
          keymap.of([
            { key: 'Tab', run: acceptCompletion },
            { key: 'Escape', run: leave },
            ...completionKeymap,
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            'aria-labelledby': id,
            spellcheck: as === 'html' ? 'false' : 'true',
            'aria-multiline': String(as !== 'line'),
          }),
          EditorState.readOnly.of(readOnly),
          EditorView.editable.of(!readOnly),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.isUserEvent('outside'))) return
            const text = update.state.doc.toString()
            emitted.current.add(text)
            latest.current.onChange(text)
          }),
          ...(placeholder === undefined ? [] : [placeholderOf(placeholder)]),
          ...(as === 'line' ? [SINGLE_LINE] : []),
          ...(as === 'html' ? [html(), syntaxHighlighting(SYNTAX_COLORS)] : []),
        ],
      }),
    })
    view.current = created
    if (autoFocus) created.focus()
    return () => created.destroy()
    // Created once; later changes of `value` are dispatched below.
  }, [])
  useEffect(() => {
    const { current } = view
    // The editor's own values can come back after the next keystroke and must not overwrite it.
    if (!current) return
    const isShown = current.state.doc.toString() === value
    if (!isShown && emitted.current.delete(value)) return
    emitted.current.clear()
    if (isShown) return
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: value },
      userEvent: 'outside',
      // What replaces the text, such as undo of a whole form, has a history of its own.
      annotations: Transaction.addToHistory.of(false),
      filter: false,
    })
  }, [value])
  return (
    <div>
      <span id={id} className={classes.label} onClick={() => view.current?.focus()}>
        {label}
      </span>
      {description !== undefined && <p className={`small t3 ${classes.description}`}>{description}</p>}
      <div ref={host} className={`${classes.editor} ${classes[as]}`} />
    </div>
  )
}
