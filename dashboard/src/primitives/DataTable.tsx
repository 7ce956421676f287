import { Checkbox, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { Fragment, type MouseEvent, type ReactElement, type ReactNode } from 'react'
import { ErrorBanner } from '../components/ErrorBanner.tsx'
import { count } from '../lib/format.ts'
import { useIsPhone } from '../lib/use-is-phone.ts'
import { SkeletonRows } from '../components/SkeletonRows.tsx'
import classes from './DataTable.module.css'
import { type Selection, useSelection } from './use-selection.ts'

/** A column of a table. */
export interface Column<Row> {
  id: string
  head: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
  /** The place of the cell in the two lines of a row on a phone. Without it, the column is left out there. */
  phone?: 'title' | 'state' | 'about' | 'number' | 'figure' | 'actions' | 'bar'
  /** Whether only screen readers get the head. */
  hidesHead?: boolean
  /** Whether long texts wrap. */
  wraps?: boolean
  /** The sum of the column, in the last row. */
  total?: ReactNode
  /** The value by which the column sorts. Without it, it does not. */
  sortBy?: (row: Row) => string | number
}

/** The sorted column, and the direction. */
export interface Sort {
  by: string
  isDescending: boolean
}

interface DataTableProps<Row> {
  /** The name for screen readers, such as "Campaigns". */
  label: string
  rows: readonly Row[] | undefined
  error?: unknown
  onRetry?: () => void
  idOf: (row: Row) => string
  /** The first one has the link. */
  columns: readonly Column<Row>[]
  /** Wraps the title in the link that the whole row opens. Without it, rows open nothing. */
  link?: (row: Row, title: ReactNode) => ReactElement
  /** Details that stand below a row. */
  below?: (row: Row) => ReactNode
  /** Whether a row is the one that the page shows. */
  isCurrent?: (row: Row) => boolean
  /** Shown without rows. */
  empty: ReactNode
  sort?: Sort
  onSort?: (sort: Sort) => void
  /** Names a row for its checkbox, and lists the actions on the selected rows. Without it, no rows can be selected. */
  bulk?: {
    nameOf: (row: Row) => string
    actions: (rows: readonly Row[], clear: () => void) => ReactNode
    /** The filters of a list with pages. Rows of other pages stay selected while they do not change. */
    keptFor?: string
  }
  /** Keys of the page, in addition to those of the table. */
  keys?: readonly (readonly [key: string, does: string])[]
  /** Whether the line with the keys is left out, for a table inside of a page. */
  hidesFoot?: boolean
  /** Such as "31 campaigns". */
  total?: string | undefined
}

/**
 * The table of every list. The whole row opens its record. The keys J, K, Enter and X are those of every list (`useKeyboardShortcuts`). On a phone, a row has
 * two lines.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows: given, error, onRetry, empty, label, columns, sort, onSort, idOf, bulk, link, below, isCurrent } = props
  const rows = sorted(given ?? [], columns, sort)
  // There, the head is for screen readers only, so nothing in it may have the focus.
  const isPhone = useIsPhone()
  const selection = useSelection(given && rows, idOf, bulk?.keptFor)
  if (error !== undefined && error !== null && !given)
    return <ErrorBanner error={error} {...(onRetry && { onRetry })} />
  if (!given) return <SkeletonRows rows={6} />
  if (rows.length === 0) return empty
  return (
    <>
      {error !== undefined && error !== null && <ErrorBanner error={error} {...(onRetry && { onRetry })} />}
      <div className={classes.frame}>
        <table className={`table stacked ${classes.table} ${link ? classes.opens : ''}`} aria-label={label}>
          <thead>
            <tr>
              {bulk && (
                <th className={classes.check}>
                  {isPhone ? (
                    <VisuallyHidden>Select</VisuallyHidden>
                  ) : (
                    <Checkbox
                      aria-label="Select all"
                      checked={selection.shownCount === rows.length}
                      indeterminate={selection.shownCount > 0 && selection.shownCount < rows.length}
                      onChange={() => selection.toggleAll()}
                    />
                  )}
                </th>
              )}
              {columns.map((column) => (
                <Head key={column.id} column={column} sort={sort} onSort={isPhone ? undefined : onSort} />
              ))}
            </tr>
          </thead>
          <tbody onClick={link && openRow}>
            {rows.map((row, at) => (
              <Fragment key={idOf(row)}>
                <tr data-selected={selection.has(row) || undefined} aria-current={isCurrent?.(row) || undefined}>
                  {bulk && (
                    <td className={classes.check} data-cell="select">
                      <Checkbox
                        aria-label={`Select ${bulk.nameOf(row)}`}
                        checked={selection.has(row)}
                        onChange={({ nativeEvent }) =>
                          selection.toggle(at, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
                        }
                      />
                    </td>
                  )}
                  {columns.map(({ id, head, cell, isNumber, phone, wraps }, n) => (
                    <td
                      key={id}
                      className={`${isNumber ? 'num' : ''} ${phone ? '' : 'wide'} ${wraps ? classes.wraps : ''}`}
                      data-cell={phone}
                      data-label={phone === 'figure' ? head : undefined}
                    >
                      {n === 0 && link ? link(row, cell(row)) : cell(row)}
                    </td>
                  ))}
                </tr>
                {below?.(row) && (
                  <tr data-below>
                    <td colSpan={columns.length + (bulk ? 1 : 0)}>{below(row)}</td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
          {columns.some(({ total }) => total !== undefined) && (
            <tfoot>
              <tr className="t2">
                {bulk && <td />}
                {columns.map(({ id, total, isNumber, phone }) => (
                  <td key={id} className={`${isNumber ? 'num' : ''} ${phone ? '' : 'wide'}`}>
                    {total}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {!props.hidesFoot && <Foot {...props} selection={selection} />}
    </>
  )
}

function Head<Row>({
  column: { id, head, isNumber, phone, sortBy, hidesHead },
  sort,
  onSort,
}: {
  column: Column<Row>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}) {
  const isSorted = sort?.by === id
  const className = `${isNumber ? 'num' : ''} ${phone ? '' : 'wide'}`
  if (!sortBy || !onSort)
    return <th className={className}>{hidesHead ? <VisuallyHidden>{head}</VisuallyHidden> : head}</th>
  const Arrow = sort?.isDescending ? IconArrowDown : IconArrowUp
  return (
    <th className={className} aria-sort={!isSorted ? 'none' : sort.isDescending ? 'descending' : 'ascending'}>
      <button
        type="button"
        className={`textButton ${classes.sort} ${isSorted ? classes.sorted : ''}`}
        onClick={() => onSort({ by: id, isDescending: isSorted ? !sort.isDescending : true })}
      >
        {head}
        {isSorted && <Arrow size={12} aria-hidden />}
      </button>
    </th>
  )
}

function Foot<Row>({ keys = [], total, bulk, link, selection }: DataTableProps<Row> & { selection: Selection<Row> }) {
  if (bulk && selection.rows.length > 0) {
    return (
      <div className={classes.bulk} role="toolbar" aria-label="Selected rows">
        <span className="strong" role="status">
          {count(selection.rows.length)} selected
          {selection.rows.length > selection.shownCount &&
            `, ${count(selection.rows.length - selection.shownCount)} on other pages`}
        </span>
        {bulk.actions(selection.rows, selection.clear)}
        <button type="button" className="textButton link phone" onClick={selection.toggleAll}>
          Select all
        </button>
        <button type="button" className="textButton link push" onClick={selection.clear}>
          Clear
        </button>
      </div>
    )
  }
  if (!link && !bulk && total === undefined) return null
  const all = [
    ...(link
      ? [
          ['J K', 'Move'],
          ['Enter', 'Open'],
        ]
      : []),
    ...(bulk ? [['X', 'Select']] : []),
    ...keys,
  ] as const
  return (
    <div className={classes.foot}>
      <span className={`wide ${classes.keys}`}>
        {all.map(([key, does]) => (
          <span key={key}>
            <kbd>{key}</kbd> {does}
          </span>
        ))}
      </span>
      {total !== undefined && <span className="push t2">{total}</span>}
    </div>
  )
}

/** A click anywhere in a row is a click on its link, with the same keys: ⌘ opens a new tab. */
function openRow({ target, ctrlKey, metaKey, shiftKey }: MouseEvent<HTMLElement>): void {
  // The cell of the checkbox only selects, so that a click beside it does not leave the page.
  if (!(target instanceof Element) || target.closest('a, button, input, label, [data-cell=select], [data-below]'))
    return
  if (window.getSelection()?.isCollapsed === false) return
  const opened = target.closest('tr')?.querySelector<HTMLAnchorElement>('a')
  const { MouseEvent: Click } = window
  opened?.dispatchEvent(new Click('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }))
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort | undefined): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.by)?.sortBy
  if (!sort || !sortBy) return rows
  const way = sort.isDescending ? -1 : 1
  return rows.toSorted((a, b) => {
    const [x, y] = [sortBy(a), sortBy(b)]
    return way * (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y)))
  })
}
