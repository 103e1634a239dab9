"""A real headless Chromium, which records every request and every word on its console."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from tests.tools import need

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
)


@contextmanager
def chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """A browser with a new profile; it is closed at the end."""
    options = webdriver.ChromeOptions()
    options.binary_location = need("chromium")
    driver = need("chromedriver")  # Debian's chromium-driver: a browser alone cannot be driven
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.set_capability("unhandledPromptBehavior", "ignore")
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        browser.execute_cdp_cmd("Network.enable", {})
        yield browser
    finally:
        browser.quit()


def show(browser: webdriver.Chrome, page: Path, scheme: str = "light", width: int = 1280) -> None:
    """Opens a page at a width, for a reader whose system is light or dark; what was logged before is forgotten."""
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(page.as_uri())


def requests(browser: webdriver.Chrome) -> set[str]:
    """The addresses the page asked for since it was opened, or since last asked; data in the file itself left out."""
    addresses = set()
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            addresses.add(message["params"]["request"]["url"].split("#")[0])
        if message["method"] == "Network.webSocketCreated":
            addresses.add(message["params"]["url"])
    return {address for address in addresses if not address.startswith("data:")}


def complaints(browser: webdriver.Chrome) -> list[str]:
    """What the console says: errors, warnings, refused content."""
    return [entry["message"] for entry in browser.get_log("browser")]
