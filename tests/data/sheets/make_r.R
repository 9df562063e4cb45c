# Made with R 4.2.2, from the tables of make_excel.py: `Rscript make_r.R FOLDER`.

folder <- commandArgs(trailingOnly = TRUE)[1]
at <- function(name) file.path(folder, name)
plain <- read.csv(at("plain.csv"))
missing <- plain
missing$svm[c(4, 11, 18)] <- NA

write.csv(plain, at("r_csv.csv"))
write.csv(plain, at("r_csv_no_names.csv"), row.names = FALSE)
write.csv(plain, at("r_csv_no_quotes.csv"), quote = FALSE)
write.csv2(plain, at("r_csv2.csv"))
write.csv2(plain, at("r_csv2_no_names.csv"), row.names = FALSE)
write.csv(missing, at("r_missing.csv"), row.names = FALSE)
write.csv2(missing, at("r_csv2_missing.csv"))

write.table(plain, at("r_table.txt"))
write.table(plain, at("r_table_no_names.txt"), row.names = FALSE)
write.table(plain, at("r_table_no_quotes.txt"), quote = FALSE)
write.table(plain, at("r_table_bare.txt"), quote = FALSE, row.names = FALSE)
write.table(plain, at("r_table_tabs.tsv"), sep = "\t")
write.table(plain, at("r_table_commas.csv"), sep = ",")
write.table(plain, at("r_table_decimal_commas.txt"), sep = "\t", dec = ",", quote = FALSE)
write.table(missing, at("r_table_missing.txt"))

values <- read.csv(at("values.csv"))
write.csv(values, at("r_values.csv"))
write.csv2(values, at("r_values_csv2.csv"), row.names = FALSE)
