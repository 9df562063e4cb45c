# Made `caret` with caret 6.0-93 and R 4.2.2: `Rscript make_caret.R FOLDER`.
# `<kind>.csv` is fit$pred, and `results.csv` has caret's own figure of each configuration.
suppressMessages(library(caret))
folder <- file.path(commandArgs(TRUE)[1], "caret")
dir.create(folder, showWarnings = FALSE)
set.seed(7)
n <- 40
d <- data.frame(x = rnorm(n), z = rnorm(n), w = round(runif(n, 0.2, 3), 2))
d$y <- factor(ifelse(d$x + d$z + rnorm(n) > 0.4, "ja", "nein"))
f1 <- function(data, lev = NULL, model = NULL) c(F1 = F_meas(data$pred, data$obs, relevant = lev[1]))
results <- data.frame()
make <- function(kind, method, control, metric, grid, ...) {
  fit <- train(y ~ x + z, data = d, method = method, trControl = control, metric = metric, tuneGrid = grid, ...)
  fit$pred[sapply(fit$pred, is.double)] <- lapply(fit$pred[sapply(fit$pred, is.double)], round, 6)
  write.csv(fit$pred, file.path(folder, paste0(kind, ".csv")), row.names = FALSE)
  name <- names(grid)
  own <- data.frame(kind = kind, configuration = paste0(name, "=", fit$results[[name]]), value = fit$results[[metric]])
  results <<- rbind(results, own)
}
k <- data.frame(k = c(3, 7))
kept <- function(...) trainControl(..., classProbs = TRUE, savePredictions = "all")
make("loocv", "knn", kept("LOOCV"), "Accuracy", k)
make("f1", "knn", kept("cv", number = 4, summaryFunction = f1), "F1", k)
make("labels", "knn", trainControl("cv", number = 4, summaryFunction = f1, savePredictions = "all"), "F1", k)
make("final", "knn", trainControl("cv", number = 4, savePredictions = "final"), "Accuracy", k)
make("slices", "knn", kept("timeslice", initialWindow = 20, horizon = 5, skip = 4), "Accuracy", k)
make("weights", "rpart", kept("cv", number = 4), "Accuracy", data.frame(cp = c(0.01, 0.4)), weights = d$w)
make("untuned", "glm", trainControl("cv", number = 4, savePredictions = "final"), "Accuracy", data.frame(parameter = "none"))
write.csv(results, file.path(folder, "results.csv"), row.names = FALSE)
