import { ColorInput } from '@mantine/core'
import { useState } from 'react'
import { omit } from '../../lib/omit.ts'
import { Section } from '../../layout/Page.tsx'
import type { Theme } from './blocks.ts'
import classes from './template.module.css'

const THEME_COLORS = [
  ['accent', 'Buttons and links', '#026b98'],
  ['text', 'Words', '#131b1f'],
  ['surface', 'Behind the words', '#ffffff'],
  ['page', 'Around them', '#f3f6f8'],
] as const

/** The colours of an email of blocks: what is not said is as usual. */
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
    <Section title="Colours" meta="On dark screens they are others.">
      <div className={classes.colours}>
        {THEME_COLORS.map(([name, label, usual]) => (
          <ColorField
            key={name}
            label={label}
            usual={usual}
            colour={theme[name] ?? ''}
            readOnly={readOnly}
            onChange={(colour) => onChange(colour === '' ? omit(theme, name) : { ...theme, [name]: colour })}
          />
        ))}
      </div>
    </Section>
  )
}

/** A colour is one when it is whole: until then it is only typed. */
function ColorField({
  label,
  usual,
  colour,
  readOnly,
  onChange,
}: {
  label: string
  usual: string
  colour: string
  readOnly: boolean
  onChange: (colour: string) => void
}) {
  const [typed, setTyped] = useState(colour)
  const isWhole = typed === '' || /^#[0-9a-f]{6}$/i.test(typed)
  return (
    <ColorInput
      label={label}
      placeholder={usual}
      value={typed}
      readOnly={readOnly}
      withEyeDropper={false}
      fixOnBlur={false}
      error={!isWhole && 'Such as #026b98'}
      onChange={(value) => {
        setTyped(value)
        if (value === '' || /^#[0-9a-f]{6}$/i.test(value)) onChange(value)
      }}
    />
  )
}
