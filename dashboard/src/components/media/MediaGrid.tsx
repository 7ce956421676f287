import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { type KeyboardEvent, useRef } from 'react'
import { isLarge, type MediaFile, sizeOf, sourceOf } from './media.ts'
import classes from './media.module.css'

/** Images to select one of, as tiles. The arrow keys move the selection, and Enter or a double-click opens it. */
export function MediaGrid({
  files,
  selected,
  onSelect,
  onOpen,
}: {
  files: readonly MediaFile[]
  selected: string | undefined
  onSelect: (file: MediaFile) => void
  onOpen?: ((file: MediaFile) => void) | undefined
}) {
  const list = useRef<HTMLUListElement>(null)
  const focusable = files.some(({ id }) => id === selected) ? selected : files[0]?.id
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const columns = list.current ? getComputedStyle(list.current).gridTemplateColumns.split(' ').length : 1
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }
    const next = files[at + (steps[event.key] ?? 0)]
    if (event.key in steps && next) {
      event.preventDefault()
      onSelect(next)
      list.current?.querySelector<HTMLElement>(`[data-id="${next.id}"]`)?.focus()
    }
    // The browser presses the button, which selects it.
    if (event.key === 'Enter' && files[at]!.id === selected) onOpen?.(files[at]!)
  }
  return (
    <ul ref={list} className={classes.grid} aria-label="Files">
      {files.map((file, at) => (
        <li key={file.id}>
          <button
            type="button"
            data-id={file.id}
            className={classes.tile}
            aria-pressed={file.id === selected}
            tabIndex={file.id === focusable ? 0 : -1}
            onClick={() => onSelect(file)}
            onDoubleClick={() => onOpen?.(file)}
            onKeyDown={(event) => onKeyDown(event, at)}
          >
            <span className={classes.frame}>
              <img src={sourceOf(file)} alt="" loading="lazy" />
              {file.id === selected && (
                <span className={classes.mark}>
                  <IconCheck aria-hidden />
                </span>
              )}
              {(file.alt === null || isLarge(file)) && (
                <span className={classes.warning}>
                  <IconAlertTriangle aria-hidden /> {file.alt === null ? 'No alt text' : 'Large'}
                </span>
              )}
            </span>
            <span className={`cut ${classes.name}`}>{file.name}</span>
            <span className="small t2">{sizeOf(file)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
