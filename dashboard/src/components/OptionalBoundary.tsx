import { Component, type ReactNode } from 'react'

/** Replaces its children if they fail to render, so that the rest of the page stays. */
export class OptionalBoundary extends Component<{ fallback?: ReactNode; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError = () => ({ isBroken: true })

  override render() {
    return this.state.isBroken ? (this.props.fallback ?? null) : this.props.children
  }
}
