// start.js - puts the parts of the page together

// Says so where a table or a curve is wider than its place.
function markScrolling() {
  for (const place of document.querySelectorAll(".wide, #curves"))
    place.classList.toggle("scrolls",
      place.scrollWidth > place.clientWidth + 1);
}

setUpSummary();
setUpCurves();
setUpPictures();
setUpScores();
setUpDictionaries();
setUpRun();
for (const link of document.querySelectorAll("nav a"))
  link.hidden = document.querySelector(link.hash).hidden;
markScrolling();
addEventListener("resize", markScrolling);
document.documentElement.dataset.ready = "yes"; // for tests
