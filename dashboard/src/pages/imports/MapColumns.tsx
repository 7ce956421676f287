import { Button, Checkbox, Select, TagsInput, TextInput } from '@mantine/core'
import { Notice } from '../../components/Notice.tsx'
import {
  attribute,
  type Column,
  DATE_FORMATS,
  type Decision,
  type Decisions,
  FIELDS,
  isAttribute,
  isDecided,
  keyOf,
  labelOfPreset,
  type Mapping,
  NUMBER_FORMATS,
  PRESETS,
  SEPARATORS,
  TYPES,
} from './imports.ts'
import classes from './imports.module.css'

/** Maps the columns of a file, with samples. */
export function MapColumns({
  mapping: { preset, detectedPreset, note, columns },
  decisions,
  isChecked,
  isBusy,
  onDecide,
  onPreset,
}: {
  mapping: Mapping
  decisions: Decisions
  /** Whether undecided columns are marked. */
  isChecked: boolean
  isBusy: boolean
  onDecide: (column: string, decision: Decision | undefined) => void
  onPreset: (preset: Mapping['preset']) => void
}) {
  return (
    <>
      {detectedPreset !== null && preset === null && (
        <Notice title={`This looks like an export of ${labelOfPreset(detectedPreset)}`}>
          <p>Its preset knows what the columns mean, and who opted out.</p>
          <Button loading={isBusy} onClick={() => onPreset(detectedPreset)}>
            Use the {labelOfPreset(detectedPreset)} preset
          </Button>
        </Notice>
      )}
      <Select
        label="Source"
        placeholder="Any CSV file"
        data={PRESETS}
        value={preset}
        clearable
        disabled={isBusy}
        style={{ maxWidth: 280 }}
        onChange={(value) => onPreset(PRESETS.find((each) => each.value === value)?.value ?? null)}
      />
      {note !== null && preset !== null && <p className="small t2">{note}</p>}
      <table className={`table ${classes.columns}`} aria-label="Columns" style={{ marginTop: 12 }}>
        <thead>
          <tr>
            <th>Column</th>
            <th className="wide">Sample values</th>
            <th className="num wide">Filled</th>
            <th>Import as</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((each, index) => (
            <ColumnRow
              key={`${index} ${each.column}`}
              of={each}
              decision={decisions[each.column]}
              isMissing={isChecked && !isDecided(decisions[each.column])}
              onDecide={(decision) => onDecide(each.column, decision)}
            />
          ))}
        </tbody>
      </table>
    </>
  )
}

function ColumnRow({
  of: { column, samples, filled, mayBeConsent, values, dateFormats },
  decision,
  isMissing,
  onDecide,
}: {
  of: Column
  decision: Decision | undefined
  isMissing: boolean
  onDecide: (decision: Decision | undefined) => void
}) {
  const choose = (field: string | null) => {
    if (field === null) onDecide(undefined)
    else if (field === 'attribute') onDecide({ field: attribute(column.slice(0, 200)), type: 'text' })
    else if (field === 'consent') onDecide({ field, yes: [] })
    else onDecide({ field })
  }
  return (
    <tr>
      <td>
        <span className={`mono ${classes.name}`}>{column.slice(0, 200)}</span>
        <p className={`phone small t3 ${classes.samples}`}>{samples.join(', ') || '—'}</p>
      </td>
      <td className={`wide t2 ${classes.samples}`}>{samples.join(', ') || '—'}</td>
      <td className="num wide t3">{Math.round(filled * 100)}%</td>
      <td>
        <div className={classes.fields}>
          <Select
            aria-label={`Import ${column} as`}
            placeholder="Choose"
            data={FIELDS}
            value={decision ? (isAttribute(decision) ? 'attribute' : decision.field) : null}
            clearable
            allowDeselect={false}
            error={isMissing && !decision && 'Choose what this column means.'}
            description={mayBeConsent && !decision ? 'This column may hold consent.' : undefined}
            onChange={choose}
          />
          {decision && isAttribute(decision) && (
            <AttributeFields of={column} decision={decision} dateFormats={dateFormats} onDecide={onDecide} />
          )}
          {decision?.field === 'consent' && (
            <YesValues
              of={column}
              label="Values that mean yes"
              decision={decision}
              values={values}
              isMissing={isMissing}
              onDecide={onDecide}
            />
          )}
          {decision?.field === 'tags' && (
            <Select
              aria-label={`Separator of ${column}`}
              data={SEPARATORS.map((value) => ({ value, label: `Split at ${value}` }))}
              value={decision.format ?? ','}
              allowDeselect={false}
              onChange={(format) => onDecide({ field: 'tags', format: format as (typeof SEPARATORS)[number] })}
            />
          )}
        </div>
      </td>
    </tr>
  )
}

/** The name, the type and the format of an attribute. */
function AttributeFields({
  of,
  decision,
  dateFormats,
  onDecide,
}: {
  of: string
  decision: Decision
  dateFormats: Column['dateFormats']
  onDecide: (decision: Decision) => void
}) {
  const { field, type = 'text', format } = decision
  const formats = type === 'date' ? DATE_FORMATS : type === 'number' ? NUMBER_FORMATS : undefined
  return (
    <>
      <TextInput
        aria-label={`Attribute of ${of}`}
        value={keyOf(decision)}
        maxLength={200}
        required
        onChange={({ currentTarget: { value } }) => onDecide({ ...decision, field: attribute(value) })}
      />
      <Select
        aria-label={`Type of ${of}`}
        data={TYPES}
        value={type}
        allowDeselect={false}
        onChange={(value) =>
          onDecide({
            field,
            type: value as 'text',
            ...(value === 'date' && dateFormats[0] && { format: dateFormats[0] }),
          })
        }
      />
      {formats && (
        <Select
          aria-label={`Format of ${of}`}
          data={formats}
          value={format ?? formats[0]}
          allowDeselect={false}
          onChange={(value) => onDecide({ field, type, format: value as (typeof DATE_FORMATS)[number] })}
        />
      )}
      {type === 'date' && dateFormats.length > 1 && (
        <p className={`small c-warn ${classes.whole}`}>
          The samples can be read as {dateFormats.join(' or ')}. Check which one is right.
        </p>
      )}
    </>
  )
}

/** An empty cell, which a select cannot have as a value. */
const EMPTY = '(empty)'
const shown = (values: readonly string[]): string[] => values.map((value) => value || EMPTY)
const meant = (values: readonly string[]): string[] => values.map((value) => (value === EMPTY ? '' : value))

/** Chooses the values that mean yes. Every other value means no. */
function YesValues({
  of,
  label,
  decision,
  values,
  isMissing,
  onDecide,
}: {
  of: string
  label: string
  decision: Decision
  values: Column['values']
  isMissing: boolean
  onDecide: (decision: Decision) => void
}) {
  const props = {
    label,
    description: 'Every other value, also in later rows, means no.',
    value: shown(decision.yes ?? []),
    error: isMissing && 'Choose at least one value that means yes. If there is none, don’t import this column.',
    onChange: (next: string[]) => onDecide({ ...decision, yes: meant(next) }),
  }
  return values ? (
    <Checkbox.Group {...props} className={classes.whole} aria-label={`Values of ${of} that mean yes`}>
      <div className="row" style={{ flexWrap: 'wrap', marginTop: 6 }}>
        {[...new Set([...shown(values), ...props.value])].map((value) => (
          <Checkbox key={value} value={value} label={value} aria-invalid={isMissing || undefined} />
        ))}
      </div>
    </Checkbox.Group>
  ) : (
    <TagsInput
      {...props}
      className={classes.whole}
      aria-label={`Values of ${of} that mean yes`}
      placeholder={`Type a value, or ${EMPTY}`}
    />
  )
}
