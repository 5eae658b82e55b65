import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tokenBucket } from '@tickbucket/core'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { setupPage } from './page-support.ts'
import { until } from './support.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const SCREENSHOTS = join(import.meta.dirname, '../../../screenshots')

const hasChromium = existsSync(CHROMIUM)
if (!hasChromium) {
  const missing = `No Chromium at ${CHROMIUM}, so the page is not tested. apt-get install chromium, or set CHROMIUM.`
  if (process.env['CI'] !== undefined) throw new Error(missing)
  console.warn(`\n*** ${missing} ***\n`)
}

const POLICIES = [
  tokenBucket({ name: 'burst', capacity: 5, perMinute: 60 }),
  tokenBucket({ name: 'long-run', capacity: 15, perMinute: 20 }),
]

/** Every rule of WCAG 2.2 up to level AA, and what axe holds for good practice. */
const AXE = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}

/** The button that sends a kind of traffic; clients are named by who sends, too. */
function trafficButton(page: Page, name: string): Locator {
  return page.getByRole('region', { name: 'Send traffic' }).getByRole('button', { name })
}

async function tokens(page: Page, policy: string): Promise<number> {
  return Number(await page.getByRole('article', { name: `Bucket ${policy}` }).getAttribute('data-tokens'))
}

describe.skipIf(!hasChromium)('the page in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true })
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  })
  afterAll(() => browser.close())

  /** Opens the page, and collects whatever the console complains of. */
  async function open(
    url: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    return { page, complaints }
  }

  test('a burst drains a bucket into 429s, and the bucket refills', async () => {
    const { page: url, clock, backends } = await setupPage({ policies: POLICIES })
    const { page, complaints } = await open(url)
    await trafficButton(page, 'Burst').click()
    await page.getByText('Burst: 5 let through, 7 refused.').waitFor()
    await page.locator('#answers').getByText('429').first().waitFor()
    expect(await page.locator('#answers .status', { hasText: '429' }).count()).toBe(7)
    expect(await page.locator('#answers .status', { hasText: '200' }).count()).toBe(5)
    expect(await page.locator('#client').inputValue()).toBe('198.51.100.7')
    expect(backends.reduce((sum, backend) => sum + backend.count(), 0)).toBe(5)
    await until(async () => (await tokens(page, 'burst')) === 0)
    await page.screenshot({ path: join(SCREENSHOTS, 'light.png'), fullPage: true })
    clock.advance(3000)
    await until(async () => (await tokens(page, 'burst')) === 3 && (await tokens(page, 'long-run')) === 11)
    clock.advance(60_000)
    await until(async () => (await tokens(page, 'burst')) === 5 && (await tokens(page, 'long-run')) === 15)
    expect(complaints).toEqual([])
  })

  test('every kind of traffic runs, stops when pressed again, and hurts its own clients alone', async () => {
    const { page: url } = await setupPage({ policies: POLICIES })
    const { page, complaints } = await open(url, { colorScheme: 'dark' })
    for (const name of ['Scraper', 'Retry storm', 'Password guesser', 'Visitors']) {
      const button = trafficButton(page, name)
      await button.click()
      await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true')
    }
    await page.locator('tr[data-key="2001:db8:bad::/56"] .refusals').waitFor()
    await page.locator('tr[data-key="203.0.113.1"] .refusals').waitFor()
    await page.locator('tr[data-key="198.51.100.66"] .refusals').waitFor()
    // However long the tables are, the page ends where its last card does.
    const { body, end } = await page.evaluate<{ body: number; end: number }>(
      `({ body: document.body.scrollHeight, end: document.documentElement.scrollHeight })`,
    )
    expect(end).toBeLessThanOrEqual(body)
    await page.screenshot({ path: join(SCREENSHOTS, 'dark.png'), fullPage: true })
    for (const name of ['Scraper', 'Retry storm', 'Password guesser', 'Visitors']) {
      const button = trafficButton(page, name)
      await button.click()
      await expect.poll(() => button.getAttribute('aria-pressed')).toBe('false')
    }
    expect(await page.locator('tr[data-key^="192.0.2."] .refusals').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('a backend that the page kills is seen to be down, and up when it is revived', async () => {
    const { page: url, url: balancer } = await setupPage({ policies: POLICIES, checkEveryMs: 50 })
    const { page, complaints } = await open(url)
    await page.getByRole('button', { name: 'Kill backend backend-1' }).click()
    const revive = page.getByRole('button', { name: 'Revive backend backend-1' })
    await revive.waitFor()
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await fetch(balancer)).status))
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    await revive.click()
    await page.getByRole('button', { name: 'Kill backend backend-1' }).waitFor()
    expect(complaints).toEqual([])
  })

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['narrow', { viewport: { width: 390, height: 844 } }],
  ] as [string, BrowserContextOptions][])(
    'axe finds nothing in the way of anybody on the %s page',
    async (_, options) => {
      const { page: url } = await setupPage({ policies: POLICIES })
      const { page } = await open(url, { ...options, reducedMotion: 'reduce' })
      await trafficButton(page, 'Burst').click()
      await page.locator('#answers').getByText('429').first().waitFor()
      await page.locator('tr[data-key="198.51.100.7"] .refusals').waitFor()
      await page.evaluate(axe.source)
      const { violations, passes } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(AXE)})`)
      const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
      expect(found).toEqual([])
      expect(passes.map(({ id }) => id)).toContain('color-contrast')
    },
  )

  test('limits change by keyboard on a phone, and a wrong one is explained at its field', async () => {
    const { page: url, balancer } = await setupPage({ policies: POLICIES })
    const { page } = await open(url, {
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      hasTouch: true,
    })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await trafficButton(page, 'Burst').click()
    await page.getByText('7 refused.').waitFor()
    const capacity = page.getByRole('group', { name: 'burst' }).getByLabel('Capacity')
    await capacity.fill('none')
    await capacity.press('Enter')
    await page.getByRole('alert').getByText("'capacity' must be a whole number").waitFor()
    expect(await capacity.getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate('document.activeElement.name')).toBe('capacity')
    await page.screenshot({ path: join(SCREENSHOTS, 'phone.png'), fullPage: true })
    await capacity.fill('8')
    await capacity.press('Enter')
    await page.getByText('balances start anew').getByText('Applied').waitFor()
    expect(balancer.limits?.limiter.policies[0]).toMatchObject({ name: 'burst', capacity: 8, rate: 60 })
    expect(await capacity.getAttribute('aria-invalid')).toBe(null)
  })
})
