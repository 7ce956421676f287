import { ColorInput } from '@mantine/core'
import { useState } from 'react'
import { omit } from '../lib/omit.ts'
import { DEFAULT_COLORS, type Theme } from './blocks.ts'
import classes from './editor.module.css'

const THEME_COLORS = [
  ['accent', 'Accent'],
  ['text', 'Text'],
  ['surface', 'Content background'],
  ['page', 'Page background'],
] as const

/** Edits the colors of an email. Empty colors use the defaults. */
export function Colors({
  theme,
  readOnly,
  onChange,
}: {
  theme: Theme
  readOnly: boolean
  onChange: (theme: Theme) => void
}) {
  return (
    <section aria-label="Colors">
      <h2 style={{ marginBottom: 8 }}>
        Colors <span className="small t3">Adjusted automatically in dark mode</span>
      </h2>
      <div className={classes.colors}>
        {THEME_COLORS.map(([name, label]) => (
          <ColorField
            key={name}
            label={label}
            usual={DEFAULT_COLORS[name]}
            color={theme[name] ?? ''}
            readOnly={readOnly}
            onChange={(color) => onChange(color === '' ? omit(theme, name) : { ...theme, [name]: color })}
          />
        ))}
      </div>
    </section>
  )
}

/** Reports complete colors only. */
function ColorField({
  label,
  usual,
  color,
  readOnly,
  onChange,
}: {
  label: string
  usual: string
  color: string
  readOnly: boolean
  onChange: (color: string) => void
}) {
  const [typed, setTyped] = useState(color)
  const isWhole = typed === '' || /^#[0-9a-f]{6}$/i.test(typed)
  return (
    <ColorInput
      label={label}
      placeholder={usual}
      value={typed}
      readOnly={readOnly}
      withEyeDropper={false}
      fixOnBlur={false}
      error={!isWhole && 'Enter a hex color, such as #026b98'}
      onChange={(value) => {
        setTyped(value)
        if (value === '' || /^#[0-9a-f]{6}$/i.test(value)) onChange(value)
      }}
    />
  )
}
