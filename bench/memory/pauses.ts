/** The longest time between two marks. */
export class Pauses {
  longestMs = 0
  #before = performance.now()

  /** Leaves out what was done since the last mark. */
  resume(): void {
    this.#before = performance.now()
  }

  mark(): void {
    const now = performance.now()
    this.longestMs = Math.max(this.longestMs, now - this.#before)
    this.#before = now
  }
}
